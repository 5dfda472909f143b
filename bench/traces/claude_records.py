"""The record types of a Claude Code session, by what they carry.

Sources: the real sessions that the tests read (versions 2.0.64 to 2.1.217), and for types that do not occur there the
tables of record kinds in public readers: entireio/cli, delexw/claude-code-trace, kenn-io/agentsview and reprints of the
harness's own union types of attachments and of log entries (up to version 2.1.258).
"""

from __future__ import annotations

SYSTEM_WITH_TEXT = frozenset(
    {
        "agents_killed", "api_error", "informational", "local_command", "microcompact_boundary",
        "model_consent_fallback", "permission_retry", "scheduled_task_fire",
    }
)  # fmt: skip
# Retellings of the session by the harness, and its bookkeeping: nothing happened there.
SYSTEM_SILENT = frozenset(
    {
        "api_metrics", "away_summary", "bridge_status", "compact_boundary", "file_snapshot", "memory_saved",
        "snip_boundary", "snip_marker", "stop_hook_summary", "thinking", "turn_duration",
    }
)  # fmt: skip
ATTACHMENT_WITH_TEXT = frozenset(
    {
        "async_hook_response", "critical_system_reminder", "diagnostics", "hook_additional_context", "hook_blocking_error",
        "hook_error_during_execution", "hook_non_blocking_error", "hook_stopped_continuation", "hook_system_message",
    }
)  # fmt: skip
ATTACHMENT_SILENT = frozenset(
    {
        "agent_listing_delta", "agent_mention", "already_read_file", "auto_mode", "auto_mode_exit", "bash_git_instructions",
        "budget_usd", "claude_md_delta", "command_permissions", "compact_file_reference", "compaction_reminder",
        "context_efficiency", "current_session_memory", "date_change", "deferred_tools_delta", "directory", "dynamic_skill",
        "file", "git_status_delta", "goal_status", "hook_cancelled", "hook_deferred_tool", "hook_success",
        "invoked_skills", "max_turns_reached", "mcp_instructions_delta", "mcp_resource", "nested_memory",
        "opened_file_in_ide", "output_style", "output_token_usage", "pdf_reference", "plan_file_reference", "plan_mode",
        "plan_mode_exit", "plan_mode_reentry", "relevant_memories", "selected_lines_in_ide", "skill_discovery",
        "skill_listing", "structured_output", "task_reconcile", "task_reminder", "task_status", "team_context",
        "teammate_mailbox", "teammate_shutdown_batch", "todo_reminder", "todo_reminder_delta", "token_usage",
        "ultra_effort_enter", "ultra_effort_exit", "ultrathink_effort", "verify_plan_reminder",
    }
)  # fmt: skip
EDITED = frozenset({"edited_image_file", "edited_text_file"})  # by someone else than the agent's own calls
SILENT = frozenset(
    {
        "agent-color", "agent-name", "agent-setting", "ai-title", "artifact-autoreact-ledger", "artifact-comment-monitor",
        "atis-latch", "attribution-snapshot", "bridge-session", "content-replacement", "continued-in", "cost-state",
        "custom-title", "ended-by-model", "file-history-delta", "file-history-snapshot", "fork-context-ref", "frame-link",
        "history-suppression", "isolation-latch", "last-prompt", "marble-origami-reset", "marble-origami-snapshot",
        "mode", "observer-ref", "permission-mode", "pr-link", "progress", "queue-operation", "relocated",
        "speculation-accept", "summary", "tag", "task-summary", "worktree-state",
    }
)  # fmt: skip
COLLAPSE = "marble-origami-commit"  # a part of the history that a summary replaced, without a new root
SILENT_BLOCKS = frozenset({"redacted_thinking", "fallback"})
KNOWN = (
    SILENT
    | {"user", "assistant", "user (repeated)", "assistant (repeated)", COLLAPSE}
    | {f"system/{name}" for name in SYSTEM_SILENT | SYSTEM_WITH_TEXT}
    | {f"attachment/{name}" for name in ATTACHMENT_SILENT | ATTACHMENT_WITH_TEXT | EDITED}
    | {"attachment/queued_command", "attachment/hook_permission_decision"}
)
