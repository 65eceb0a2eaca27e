"""Distances and durations as the service computes them."""

from __future__ import annotations

import math

_EARTH_RADIUS_KM = 6371.0088
_ASSUMED_SPEED_KMH = 30


def great_circle_km(lat: float, lng: float, other_lat: float, other_lng: float) -> float:
    """The great-circle distance between two places in WGS 84 degrees, kilometres. Rule M-5."""
    sin_lat = math.sin(math.radians(other_lat - lat) / 2)
    sin_lng = math.sin(math.radians(other_lng - lng) / 2)
    h = sin_lat**2 + math.cos(math.radians(lat)) * math.cos(math.radians(other_lat)) * sin_lng**2
    return 2 * _EARTH_RADIUS_KM * math.asin(math.sqrt(min(1.0, h)))


def estimated_duration_min(distance_km: float) -> int:
    """Whole minutes for a distance. Rule M-6."""
    return math.floor(distance_km / _ASSUMED_SPEED_KMH * 60 + 0.5)
