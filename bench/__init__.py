"""lessonbench: measure, calibrate and certify judges of agent sessions."""

__version__ = "0.1.0"
