"""The record types of a Codex rollout, by what they carry."""

from __future__ import annotations

SHELLS = frozenset({"shell", "exec_command", "shell_command", "container.exec", "unified_exec", "local_shell"})
CALLS = frozenset({"function_call", "custom_tool_call", "local_shell_call", "tool_search_call"})
WITHOUT_RESULT = frozenset({"web_search_call", "image_generation_call"})
OUTPUTS = frozenset(
    {
        "function_call_output",
        "custom_tool_call_output",
        "local_shell_call_output",
        "tool_search_output",
        "mcp_tool_call_output",
    }
)
NOTICES = frozenset({"error", "stream_error", "warning", "guardian_warning", "deprecation_notice"})
_HANDLED_EVENTS = frozenset(
    {
        "agent_message",
        "agent_reasoning",
        "context_compacted",
        "dynamic_tool_call_response",
        "entered_review_mode",
        "exec_command_end",
        "exited_review_mode",
        "mcp_tool_call_end",
        "patch_apply_end",
        "turn_aborted",
        "user_message",
    }
)
# Bookkeeping, and the beginnings and copies of what other records tell whole.
_SILENT_EVENTS = frozenset(
    {
        "agent_message_delta",
        "agent_reasoning_delta",
        "agent_reasoning_raw_content",
        "agent_reasoning_section_break",
        "background_event",
        "dynamic_tool_call_request",
        "exec_command_begin",
        "exec_command_output_delta",
        "item_completed",
        "item_started",
        "mcp_startup_complete",
        "mcp_tool_call_begin",
        "patch_apply_begin",
        "plan_update",
        "raw_response_item",
        "session_configured",
        "shutdown_complete",
        "task_complete",
        "task_started",
        "terminal_interaction",
        "thread_name_updated",
        "thread_rolled_back",
        "thread_settings_applied",
        "token_count",
        "turn_complete",
        "turn_diff",
        "turn_started",
        "view_image_tool_call",
        "web_search_begin",
        "web_search_end",
    }
)
_ITEMS = CALLS | OUTPUTS | WITHOUT_RESULT | {"message", "reasoning", "compaction", "ghost_snapshot"}
KNOWN = (
    frozenset({"session_meta", "turn_context", "compacted", "world_state", "state"})
    | {f"response_item/{name}" for name in _ITEMS}
    | {f"event_msg/{name}" for name in _HANDLED_EVENTS | _SILENT_EVENTS | NOTICES}
)
