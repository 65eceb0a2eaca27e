import { ERROR_HINTS, type FieldError, type RelayError } from '@legwork/protocol/contract';

/** How a tool call ended, in MCP's form. */
export interface ToolResult {
  isError: boolean;
  content: [{ type: 'text'; text: string }];
  /** The answer as an object; `text` holds the same as JSON. A failed call has none. */
  structuredContent?: Record<string, unknown>;
}

/** The JSON in the text of a failed call. Rule S-36. */
export interface ToolFailure {
  code: RelayError['code'];
  message: string;
  /** What to do next. */
  hint: string;
  errors?: readonly FieldError[];
}

/** The result of a call with this answer, which is in wire form. */
export function succeeded(answer: Record<string, unknown>): ToolResult {
  return { isError: false, content: [{ type: 'text', text: JSON.stringify(answer) }], structuredContent: answer };
}

/** The result of a refused call: what was wrong, and what to do next. */
export function failed(error: RelayError): ToolResult {
  const failure: ToolFailure = {
    code: error.code,
    message: error.message,
    hint: ERROR_HINTS[error.code],
    ...(error.errors.length > 0 && { errors: error.errors }),
  };
  return { isError: true, content: [{ type: 'text', text: JSON.stringify(failure) }] };
}

/** What went wrong in a call; undefined when it succeeded. */
export function failureOf({ isError, content: [{ text }] }: ToolResult): ToolFailure | undefined {
  return isError ? (JSON.parse(text) as ToolFailure) : undefined;
}

/** The result as JSON. Its text already holds the answer, which is not turned into text twice. */
export function resultJson({ isError, content: [{ text }], structuredContent }: ToolResult): string {
  const structured = structuredContent === undefined ? '' : `,"structuredContent":${text}`;
  return `{"isError":${isError},"content":[{"type":"text","text":${JSON.stringify(text)}}]${structured}}`;
}
