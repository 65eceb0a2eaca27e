// The camera of a phone in tests and measurements, which sees what it is shown.
import encodeQR from 'qr';

const [WIDTH, HEIGHT] = [640, 480];
const [BLACK, WHITE, GREY] = [16, 235, 128];

export function filmOf(text) {
  const squares = encodeQR(text, 'raw', { ecc: 'low', border: 4 });
  const scale = Math.floor(HEIGHT / squares.length);
  const light = Buffer.alloc(WIDTH * HEIGHT, WHITE);
  for (const [row, line] of squares.entries()) {
    for (const [column, isDark] of line.entries()) {
      if (!isDark) continue;
      for (let y = row * scale; y < (row + 1) * scale; y += 1) {
        light.fill(BLACK, y * WIDTH + column * scale, y * WIDTH + (column + 1) * scale);
      }
    }
  }
  const colour = Buffer.alloc((WIDTH * HEIGHT) / 2, GREY);
  return Buffer.concat([Buffer.from(`YUV4MPEG2 W${WIDTH} H${HEIGHT} F10:1 Ip A1:1 C420\nFRAME\n`), light, colour]);
}

export const cameraArgs = (film) => [
  '--use-fake-ui-for-media-stream',
  '--use-fake-device-for-media-stream',
  `--use-file-for-fake-video-capture=${film}`,
];
