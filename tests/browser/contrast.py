"""Whether text can be read: the contrast of two colours, by the formula of WCAG 2."""

from __future__ import annotations


def luminance(colour: str) -> float:
    """How bright a CSS colour is, `rgb(31, 35, 40)`: from 0, black, to 1, white."""
    channels = [int(float(part)) / 255 for part in colour[colour.index("(") + 1 : -1].split(",")[:3]]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """The contrast of two CSS colours: 1 for none; text needs 4.5."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)
