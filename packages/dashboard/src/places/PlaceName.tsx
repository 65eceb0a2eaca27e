import type { Coordinate } from '@legwork/protocol/rules';
import { useQuery } from '@tanstack/react-query';
import { degreesOf } from './place.js';
import { nameOf } from './places.js';

/** What people call a point; its degrees until that is known, or where it has no name. Undefined: nothing is asked. */
export function usePlaceName(of: Coordinate | undefined): string | undefined {
  const degrees = of && degreesOf(of);
  const { data } = useQuery({
    queryKey: ['place', degrees],
    queryFn: async () => (of && (await nameOf(of))) ?? null,
    enabled: of !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  return data ?? degrees;
}

/** What people call a point, with its degrees, which alone are exact. */
export function PlaceName({ of }: { of: Coordinate }) {
  const degrees = degreesOf(of);
  const name = usePlaceName(of);
  return name === degrees ? (
    degrees
  ) : (
    <>
      {name} <small>{degrees}</small>
    </>
  );
}
