"""Units that stand behind numbers, in several spellings and languages, and what they have in common."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

__all__ = ["CURRENCIES", "MULTIPLES", "UNITS", "Unit"]


@dataclass(frozen=True, slots=True)
class Unit:
    """``kind`` is what is measured; a value times ``factor`` is in that kind's own unit."""

    kind: str
    factor: Fraction = Fraction(1)


def _table() -> dict[str, Unit]:
    spelled = {
        "percent": [("1", "% percent prozent procent porcento percentage pct")],
        "permille": [("1", "‰ permille promille")],
        "length": [
            ("1/1000000000", "nm nanometre nanometres nanometer nanometers"),
            ("1/1000000", "µm μm micrometre micrometres micrometer micrometers"),
            ("1/1000", "mm millimetre millimetres millimeter millimeters"),
            ("1/100", "cm centimetre centimetres centimeter centimeters zentimeter"),
            ("1", "m metre metres meter meters mètre mètres metro metros"),
            ("1000", "km kilometre kilometres kilometer kilometers kilomètre kilomètres kilómetros"),
            ("127/5000", "inch inches zoll"),
            ("381/1250", "ft foot feet"),
            ("1143/1250", "yd yard yards"),
            ("201168/125", "mi mile miles meile meilen"),
        ],
        "area": [
            ("1/10000", "cm²"),
            ("1", "m² sqm"),
            ("10000", "ha hectare hectares hektar"),
            ("1000000", "km²"),
        ],
        "volume": [
            ("1/1000", "ml millilitre millilitres milliliter milliliters"),
            ("1", "l litre litres liter liters"),
            ("1000", "m³"),
        ],
        "mass": [
            ("1/1000", "mg milligram milligrams milligramm"),
            ("1", "g gram grams gramm gramme grammes"),
            ("1000", "kg kilogram kilograms kilogramm kilo kilos"),
            ("1000000", "t tonne tonnes tonnen"),
            ("45359237/100000", "lb lbs"),
            ("45359237/1600000", "oz ounce ounces"),
        ],
        "time": [
            ("1/1000000", "µs μs microsecond microseconds"),
            ("1/1000", "ms millisecond milliseconds millisekunde millisekunden"),
            ("1", "s sec secs second seconds sekunde sekunden seconde secondes segundo segundos"),
            ("60", "min mins minute minutes minuten minuto minutos"),
            ("3600", "h hr hrs hour hours stunde stunden heure heures hora horas uur ore"),
            ("86400", "day days tag tage tagen jour jours día días dia dias giorni dag dagen"),
            ("604800", "week weeks woche wochen semaine semaines semana semanas settimane weken"),
        ],
        "months": [
            ("1", "month months monat monate monaten mois mes meses mese mesi maand maanden"),
            ("12", "year years yr yrs jahr jahre jahren an ans année années año años anno anni jaar jaren"),
        ],
        "speed": [("1", "m/s"), ("5/18", "km/h kmh"), ("1397/3125", "mph")],
        "temperature": [("1", "°C ℃ degrees"), ("1", "°")],
        "fahrenheit": [("1", "°F ℉")],
        "kelvin": [("1", "K kelvin")],
        "bytes": [
            ("1", "B byte bytes"),
            ("1000", "KB kB kilobyte kilobytes"),
            ("1000000", "MB megabyte megabytes"),
            ("1000000000", "GB gigabyte gigabytes"),
            ("1000000000000", "TB terabyte terabytes"),
            ("1024", "KiB"),
            ("1048576", "MiB"),
            ("1073741824", "GiB"),
        ],
        "frequency": [("1", "Hz hertz"), ("1000", "kHz"), ("1000000", "MHz"), ("1000000000", "GHz")],
        "power": [("1", "W watt watts"), ("1000", "kW kilowatt kilowatts"), ("1000000", "MW megawatt")],
        "energy": [("1", "J joule joules"), ("3600", "Wh"), ("3600000", "kWh"), ("3600000000", "MWh")],
        "voltage": [("1", "V volt volts"), ("1/1000", "mV")],
    }
    made = {
        word: Unit(kind, Fraction(factor))
        for kind, rows in spelled.items()
        for factor, words in rows
        for word in words.split()
    }
    for name, words in CURRENCIES.items():
        made |= dict.fromkeys(words.split(), Unit(name))
    return made


CURRENCIES = {
    "EUR": "€ EUR euro euros",
    "USD": "$ USD dollar dollars",
    "GBP": "£ GBP pounds sterling",
    "JPY": "¥ JPY yen",
    "CHF": "CHF franken francs",
    "INR": "₹ INR rupee rupees",
}

# Symbols are case-sensitive (m and M, k and K); words of three letters and more are looked up in lower case
UNITS = _table()

# "billion" is 10^9 in English and 10^12 elsewhere: the second column holds where it differs
MULTIPLES: dict[str, tuple[int, dict[str, int]]] = {
    "hundred": (10**2, {}),
    "hundert": (10**2, {}),
    "dozen": (12, {}),
    "thousand": (10**3, {}),
    "tausend": (10**3, {}),
    "mille": (10**3, {}),
    "mil": (10**3, {}),
    "lakh": (10**5, {}),
    "lakhs": (10**5, {}),
    "lac": (10**5, {}),
    "lacs": (10**5, {}),
    "crore": (10**7, {}),
    "crores": (10**7, {}),
    "million": (10**6, {}),
    "millions": (10**6, {}),
    "millionen": (10**6, {}),
    "mio": (10**6, {}),
    "mn": (10**6, {}),
    "millones": (10**6, {}),
    "millón": (10**6, {}),
    "milione": (10**6, {}),
    "milioni": (10**6, {}),
    "milhão": (10**6, {}),
    "milhões": (10**6, {}),
    "miljoen": (10**6, {}),
    "miliardo": (10**9, {}),
    "miliardi": (10**9, {}),
    "miljard": (10**9, {}),
    "duizend": (10**3, {}),
    "mila": (10**3, {}),
    "billion": (10**9, {"de": 10**12, "fr": 10**12, "nl": 10**12, "da": 10**12, "no": 10**12}),
    "billions": (10**9, {"fr": 10**12}),
    "bn": (10**9, {}),
    "milliarde": (10**9, {}),
    "milliarden": (10**9, {}),
    "mrd": (10**9, {}),
    "milliard": (10**9, {}),
    "milliards": (10**9, {}),
    "billionen": (10**12, {}),
    "trillion": (10**12, {"de": 10**18, "fr": 10**18}),
}
