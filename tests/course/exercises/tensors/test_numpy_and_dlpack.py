"""What people answer on memory shared with NumPy, and on DLPack, and what the checks tell them."""

from exercise_answers import right_answers, wrong_answers

WHO = "row, doubled, as_double, turned, picked = "
JOINED = """
class Sensor:
    def __init__(self, array):
        self.array = array
    def __dlpack_device__(self):
        return (1, 0)
    def __dlpack__(self, **wishes):
        return """

WRONG = [
    ("t09-who", WHO + "'copy', 'copy', 'copy', 'view', 'copy'", "A row of an array is a view"),
    ("t09-who", WHO + "'view', 'view', 'copy', 'view', 'copy'", "x * 2 is a new array"),
    ("t09-who", WHO + "'view', 'copy', 'view', 'view', 'copy'", "has to copy"),
    ("t09-who", WHO + "'view', 'copy', 'copy', 'copy', 'copy'", "numpy() shares again"),
    ("t09-who", WHO + "'view', 'copy', 'copy', 'view', 'view'", "indices copy"),
    ("t09-single", "single = readings\nx = torch.from_numpy(single).float()", "NumPy's default"),
    ("t09-single", "single = torch.from_numpy(readings).float()\nx = single", "is not a NumPy array"),
    ("t09-single", "single = readings.astype(np.float32)\nx = torch.tensor(single)", "`x` is a copy"),
    ("t09-single", "single = readings.astype(np.float32)\nx = torch.from_numpy(readings).float()", "`x` is a copy"),
    ("t09-single", "single = readings.astype(np.float32)\nx = single", "it should be a tensor"),
    ("t09-safe", "def to_tensor(array): return torch.from_numpy(array)", "raised ValueError"),
    ("t09-safe", "def to_tensor(array): return torch.tensor(array.copy())", "nothing needs to be copied"),
    ("t09-safe", "def to_tensor(array): return torch.from_numpy(np.ascontiguousarray(array))", "is a copy"),
    (
        "t09-safe",
        "def to_tensor(array):\n    if min(array.strides) < 0: return torch.tensor(array.copy())\n"
        "    return torch.from_numpy(array)",
        "It may only be read",
    ),
    ("t09-safe", "def to_tensor(array): array", "returned nothing"),
    ("t09-join", "class Sensor:\n    def __init__(self, array): pass", "no method `__dlpack__`"),
    ("t09-join", "Sensor = lambda array: array", "is `array` itself"),
    ("t09-join", JOINED + "self.array.copy().__dlpack__(**wishes)", "not on the memory of `array`"),
    ("t09-join", JOINED + "self.array", "raised RuntimeError: from_dlpack received an invalid capsule"),
    ("t09-join", JOINED + "self.array[:, ::2].__dlpack__(**wishes)", "has shape (2, 2)"),
    ("t09-join", JOINED + "self.array.__dlpack__()", "is no copy: pass the arguments"),
    ("t09-join", JOINED.replace(", **wishes", "") + "self.array.__dlpack__()", "unexpected keyword argument 'copy'"),
    (
        "t09-join",
        JOINED.replace("self.array = array", "pass") + "array.__dlpack__(**wishes)",
        "the memory of the first",
    ),
]
RIGHT = [
    (
        "t09-join",
        "class Sensor:\n    def __init__(self, array): self.array = array\n"
        "    def __getattr__(self, name): return getattr(self.array, name)",
    ),
    ("t09-single", "single = np.asarray(readings, np.float32)\nx = torch.as_tensor(single)"),
    ("t09-single", "x = torch.tensor(readings, dtype=torch.float32)\nsingle = x.numpy()"),
    (
        "t09-safe",
        "def to_tensor(array):\n    if array.flags.writeable and min(array.strides) >= 0:\n"
        "        return torch.as_tensor(array)\n    return torch.as_tensor(array.copy())",
    ),
]

test_a_wrong_answer_is_told_what_it_shows = wrong_answers(WRONG)
test_another_right_answer_is_taken = right_answers(RIGHT)
