import type { Coordinate } from '@legwork/protocol/rules';
import { useQuery } from '@tanstack/react-query';
import { degreesOf } from './place.js';
import { nameOf } from './places.js';

/** What people call a point, with its degrees, which alone are exact. */
export function PlaceName({ of: { lat, lng } }: { of: Coordinate }) {
  const degrees = degreesOf({ lat, lng });
  const { data: name } = useQuery({
    queryKey: ['place', degrees],
    queryFn: async () => (await nameOf({ lat, lng })) ?? null,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  return name ? (
    <>
      {name} <small>{degrees}</small>
    </>
  ) : (
    degrees
  );
}
