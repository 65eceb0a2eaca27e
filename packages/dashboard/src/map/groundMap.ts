import { Map, type MapMouseEvent, setWorkerUrl } from 'maplibre-gl';
import workerUrl from 'maplibre-gl/dist/maplibre-gl-worker.mjs?url';
import { type Colours, coloursOf, onThemeChange, groundStyle, paintOf } from './style.js';
import { addDetail } from './detail.js';
import { drawMoving, drawStill } from './draw.js';
import {
  type Box,
  degrees,
  fit,
  isReadable,
  mercator,
  nearest,
  pixelOf,
  type Point,
  type View,
  worldAt,
  zoomOf,
} from './geometry.js';
import { boxOfAll, mainBox, shownFirst } from './frame.js';
import { pick, REACH_PX } from './pick.js';
import { nextFrameMs, parcelOf, type Route } from './route.js';
import { t } from '../language.js';

setWorkerUrl(workerUrl);

/** What a map is told, and whom it tells. */
export interface GroundOptions {
  readonly container: HTMLElement;
  /** Drawn on at every frame; over the map, without catching its pointer. */
  readonly overlay: HTMLCanvasElement;
  /** Follows the chosen parcel. */
  readonly callout: HTMLElement;
  readonly label: string;
  readonly onSelect: (id: string | undefined) => void;
  readonly onPoint: (id: string | undefined) => void;
  readonly onView: (view: View) => void;
}

const WHOLE_WORLD: Box = { left: 0, right: 1, top: 0.2, bottom: 0.7 };
/** Around what is fitted, pixels. */
const MARGIN_PX = 56;
const REDRAW_CALMLY_MS = 1_000;

/** MapLibre draws the ground, which stands still; a canvas over it what moves. */
export class GroundMap {
  readonly #options: GroundOptions;
  readonly #map: Map;
  readonly #context: CanvasRenderingContext2D;
  /** Kept between frames, in which parcels alone move. */
  readonly #still: CanvasRenderingContext2D;
  readonly #motion = matchMedia('(prefers-reduced-motion: reduce)');
  readonly #coarse = matchMedia('(pointer: coarse)');
  readonly #isSlow = !isAccelerated();
  readonly #stopThemes: () => void;
  #colours: Colours;
  #routes: readonly Route[] = [];
  #selected: string | undefined;
  #pointed: string | undefined;
  #isFitted = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #frame = 0;

  /** @throws GPUInitializationError without WebGL 2 */
  constructor(options: GroundOptions) {
    const { container, overlay, label } = options;
    this.#options = options;
    this.#context = contextOf(overlay);
    this.#still = contextOf(document.createElement('canvas'));
    this.#colours = coloursOf(container);
    this.#map = new Map({
      container,
      style: groundStyle(this.#colours),
      ...cameraOf(fit(WHOLE_WORLD, sizeOf(container), 0)),
      maxZoom: 17,
      maxPitch: 0,
      dragRotate: false,
      touchPitch: false,
      cooperativeGestures: true,
      attributionControl: false,
      validateStyle: false,
      fadeDuration: this.#motion.matches ? 0 : 150,
      locale: {
        'Map.Title': label,
        'CooperativeGesturesHandler.WindowsHelpText': t('Use Ctrl + scroll to zoom the map'),
        'CooperativeGesturesHandler.MacHelpText': t('Use ⌘ + scroll to zoom the map'),
        'CooperativeGesturesHandler.MobileHelpText': t('Use two fingers to move the map'),
      },
    });
    this.#map.touchZoomRotate.disableRotation();
    this.#map.keyboard.disableRotation();
    this.#listen();
    this.#stopThemes = onThemeChange(() => this.#recolour());
  }

  remove(): void {
    clearTimeout(this.#timer);
    cancelAnimationFrame(this.#frame);
    this.#stopThemes();
    this.#map.remove();
  }

  /** Shows these relays. The first time, most of what is under way is brought into sight; a chosen one whenever it is not. */
  show(routes: readonly Route[], selected: string | undefined): void {
    const isNewChoice = selected !== this.#selected;
    this.#routes = routes;
    this.#selected = selected;
    const chosen = routes.find(({ id }) => id === selected);
    if (!this.#isFitted && routes.length > 0 && this.#options.container.clientHeight > 0) {
      this.#isFitted = true;
      this.#move(chosen?.box ?? mainBox(routes) ?? WHOLE_WORLD, 'at once');
    } else if (isNewChoice && chosen && !isReadable(chosen.box, this.#view())) this.#move(chosen.box);
    this.#draw();
  }

  /** Brings into sight where most of what is under way is, or all of it. */
  fit(what: 'most' | 'all'): void {
    this.#move((what === 'most' ? mainBox(this.#routes) : boxOfAll(shownFirst(this.#routes))) ?? WHOLE_WORLD);
  }

  zoom(by: 1 | -1): void {
    this.#map.zoomTo(this.#map.getZoom() + by);
  }

  #move(box: Box, how?: 'at once'): void {
    const camera = cameraOf(fit(box, sizeOf(this.#options.container), MARGIN_PX));
    if (how === 'at once') this.#map.jumpTo(camera);
    else this.#map.easeTo({ ...camera, duration: 500 });
  }

  #view(): View {
    return {
      ...sizeOf(this.#options.container),
      center: mercator(this.#map.getCenter()),
      world: worldAt(this.#map.getZoom()),
    };
  }

  #listen(): void {
    const { onSelect, onView } = this.#options;
    this.#map.on('move', () => this.#draw());
    this.#map.on('resize', () => this.show(this.#routes, this.#selected));
    this.#map.on('moveend', () => onView(this.#view()));
    this.#map.on('mousemove', (event) => this.#point(this.#pick(event)));
    this.#map.on('mouseout', () => this.#point(undefined));
    this.#map.on('click', (event) => onSelect(this.#pick(event)));
    addDetail(this.#map, () => this.#view());
    onView(this.#view());
  }

  #pick({ point }: MapMouseEvent): string | undefined {
    const reach = REACH_PX[this.#coarse.matches ? 'touch' : 'mouse'];
    return pick(this.#routes, this.#view(), point, reach, Date.now())?.id;
  }

  #point(id: string | undefined): void {
    if (id === this.#pointed) return;
    this.#pointed = id;
    this.#map.getCanvas().style.cursor = id === undefined ? '' : 'pointer';
    this.#options.onPoint(id);
    this.#draw();
  }

  #recolour(): void {
    this.#colours = coloursOf(this.#options.container);
    for (const { id, paint } of paintOf(this.#colours)) {
      for (const [name, value] of paint) this.#map.setPaintProperty(id, name as 'fill-color', value as string);
    }
    this.#draw();
  }

  #draw(what: 'all' | 'parcels' = 'all'): void {
    const view = this.#view();
    // Not laid out yet, or no longer; the map says when it has a size.
    if (view.width === 0 || view.height === 0) return;
    const now = Date.now();
    const scene = {
      routes: this.#routes,
      selected: this.#selected,
      pointed: this.#pointed,
      colours: this.#colours,
      now,
    };
    if (what === 'all') {
      fitCanvas(this.#context, view);
      fitCanvas(this.#still, view);
      drawStill(this.#still, view, scene);
    }
    drawMoving(this.#context, view, scene, this.#still.canvas);
    this.#placeCallout(view, now);
    clearTimeout(this.#timer);
    const isCalm = this.#isSlow || this.#motion.matches;
    const wait = isCalm ? REDRAW_CALMLY_MS : nextFrameMs(this.#routes, view.world, now);
    // Frames of a hidden tab never come: the next picture is drawn once it is looked at.
    this.#timer = setTimeout(() => {
      cancelAnimationFrame(this.#frame);
      this.#frame = requestAnimationFrame(() => this.#draw('parcels'));
    }, wait);
  }

  #placeCallout(view: View, now: number): void {
    const { callout } = this.#options;
    const chosen = this.#routes.find(({ id }) => id === (this.#pointed ?? this.#selected));
    const at = chosen && inSight(view, parcelOf(chosen, now));
    callout.hidden = at === undefined;
    if (!at) return;
    const side = at.x > view.width / 2 ? '-100%' : '0%';
    const end = at.y > view.height / 2 ? '-100%' : '0%';
    const gap = (isFar: boolean) => (isFar ? -14 : 14);
    callout.style.transform = `translate(${side}, ${end}) translate(${at.x + gap(side !== '0%')}px, ${at.y + gap(end !== '0%')}px)`;
  }
}

function contextOf(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('this browser has no canvas');
  return context;
}

/** Where a place is on the screen. @returns undefined out of sight */
function inSight(view: View, point: Point): Point | undefined {
  const at = pixelOf(view, nearest(point, view.center));
  return at.x >= 0 && at.x <= view.width && at.y >= 0 && at.y <= view.height ? at : undefined;
}

const sizeOf = ({ clientWidth: width, clientHeight: height }: HTMLElement) => ({ width, height });

const cameraOf = ({ center, world }: View) => ({ center: degrees(center), zoom: zoomOf(world) });

/** As many dots as the screen has; sizes stay in CSS pixels. */
function fitCanvas(context: CanvasRenderingContext2D, { width, height }: View): void {
  const ratio = window.devicePixelRatio;
  const { canvas } = context;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
}

/** Whether a graphics card draws: in software, every frame is the processor's. */
function isAccelerated(): boolean {
  const context = document.createElement('canvas').getContext('webgl2', { failIfMajorPerformanceCaveat: true });
  context?.getExtension('WEBGL_lose_context')?.loseContext();
  return context !== null;
}
