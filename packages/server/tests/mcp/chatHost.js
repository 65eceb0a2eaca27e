// Bundled and run in a page: a chat that shows a card as MCP Apps says, with the library for hosts.
import { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge';

/** Shows the card of an address for the result of a tool. `callTool` and `openLink` are the test's. */
globalThis.showCard = async ({ address, capabilities, context, called, result }) => {
  const frame = document.querySelector('iframe');
  const bridge = new AppBridge(null, { name: 'chat', version: '1' }, capabilities, { hostContext: context });
  bridge.oncalltool = (params) => globalThis.callTool(params);
  bridge.onopenlink = ({ url }) => globalThis.openLink(url);
  bridge.onsizechange = ({ height }) => {
    frame.style.height = `${height}px`;
  };
  const tell = async () => {
    await bridge.sendToolInput({ arguments: called });
    if (result === null) await bridge.sendToolCancelled({ reason: 'by the user' });
    else await bridge.sendToolResult(result);
  };
  bridge.oninitialized = () => void tell();
  globalThis.bridge = bridge;
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  frame.src = address;
};
