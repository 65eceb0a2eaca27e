import { ERROR_HINTS, type FieldError, type RelayError } from '@legwork/protocol/contract';

/** How a tool call ended, in the form MCP gives it. */
export interface ToolResult {
  isError: boolean;
  content: [{ type: 'text'; text: string }];
  /** The answer as an object; `text` holds the same as JSON. A failed call has none. */
  structuredContent?: Record<string, unknown>;
}

/** What the text of a failed call parses to. Rule S-36. */
export interface ToolFailure {
  code: RelayError['code'];
  message: string;
  /** What to do next. */
  hint: string;
  errors?: readonly FieldError[];
}

/** An answer in wire form as the result of a call. */
export function succeeded(answer: Record<string, unknown>): ToolResult {
  return { isError: false, content: [{ type: 'text', text: JSON.stringify(answer) }], structuredContent: answer };
}

/** A refusal as the result of a call: what was wrong, and what to do next. */
export function failed(error: RelayError): ToolResult {
  const failure: ToolFailure = {
    code: error.code,
    message: error.message,
    hint: ERROR_HINTS[error.code],
    ...(error.errors.length > 0 && { errors: error.errors }),
  };
  return { isError: true, content: [{ type: 'text', text: JSON.stringify(failure) }] };
}

/** What went wrong in a call; undefined: nothing. */
export function failureOf({ isError, content: [{ text }] }: ToolResult): ToolFailure | undefined {
  return isError ? (JSON.parse(text) as ToolFailure) : undefined;
}

/** The result as JSON. The text is that of the answer already, so the answer is not turned into text twice. */
export function resultJson({ isError, content: [{ text }], structuredContent }: ToolResult): string {
  const structured = structuredContent === undefined ? '' : `,"structuredContent":${text}`;
  return `{"isError":${isError},"content":[{"type":"text","text":${JSON.stringify(text)}}]${structured}}`;
}
