// Everything is at hand when this runs: the script stands last in the page.
const page = dataOf("data");
document.querySelectorAll(".needs-script").forEach((part) => {
  part.hidden = false;
});
themes();
tables();
figures();
thresholds(page);
cases(page);
document.documentElement.dataset.ready = "true";
