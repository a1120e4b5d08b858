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
    ("t12-who", WHO + "'copy', 'copy', 'copy', 'view', 'copy'", "A row of an array is a view"),
    ("t12-who", WHO + "'view', 'view', 'copy', 'view', 'copy'", "x * 2 is a new array"),
    ("t12-who", WHO + "'view', 'copy', 'view', 'view', 'copy'", "has to copy"),
    ("t12-who", WHO + "'view', 'copy', 'copy', 'copy', 'copy'", "numpy() shares again"),
    ("t12-who", WHO + "'view', 'copy', 'copy', 'view', 'view'", "indices copy"),
    ("t12-single", "single = readings\nx = torch.from_numpy(single).float()", "NumPy's default"),
    ("t12-single", "single = torch.from_numpy(readings).float()\nx = single", "is not a NumPy array"),
    ("t12-single", "single = readings.astype(np.float32)\nx = torch.tensor(single)", "`x` is a copy"),
    ("t12-single", "single = readings.astype(np.float32)\nx = torch.from_numpy(readings).float()", "`x` is a copy"),
    ("t12-single", "single = readings.astype(np.float32)\nx = single", "it should be a tensor"),
    ("t12-safe", "def to_tensor(array): return torch.from_numpy(array)", "raised ValueError"),
    ("t12-safe", "def to_tensor(array): return torch.tensor(array.copy())", "nothing needs to be copied"),
    ("t12-safe", "def to_tensor(array): return torch.from_numpy(np.ascontiguousarray(array))", "is a copy"),
    (
        "t12-safe",
        "def to_tensor(array):\n    if min(array.strides) < 0: return torch.tensor(array.copy())\n"
        "    return torch.from_numpy(array)",
        "It may only be read",
    ),
    ("t12-safe", "def to_tensor(array): array", "returned nothing"),
    ("t13-join", "class Sensor:\n    def __init__(self, array): pass", "no method `__dlpack__`"),
    ("t13-join", "Sensor = lambda array: array", "is `array` itself"),
    ("t13-join", JOINED + "self.array.copy().__dlpack__(**wishes)", "not on the memory of `array`"),
    ("t13-join", JOINED + "self.array", "raised RuntimeError: from_dlpack received an invalid capsule"),
    ("t13-join", JOINED + "self.array[:, ::2].__dlpack__(**wishes)", "has shape (2, 2)"),
    ("t13-join", JOINED + "self.array.__dlpack__()", "is no copy: pass the arguments"),
    ("t13-join", JOINED.replace(", **wishes", "") + "self.array.__dlpack__()", "unexpected keyword argument 'copy'"),
    (
        "t13-join",
        JOINED.replace("self.array = array", "pass") + "array.__dlpack__(**wishes)",
        "the memory of the first",
    ),
]
RIGHT = [
    (
        "t13-join",
        "class Sensor:\n    def __init__(self, array): self.array = array\n"
        "    def __getattr__(self, name): return getattr(self.array, name)",
    ),
    ("t12-single", "single = np.asarray(readings, np.float32)\nx = torch.as_tensor(single)"),
    ("t12-single", "x = torch.tensor(readings, dtype=torch.float32)\nsingle = x.numpy()"),
    (
        "t12-safe",
        "def to_tensor(array):\n    if array.flags.writeable and min(array.strides) >= 0:\n"
        "        return torch.as_tensor(array)\n    return torch.as_tensor(array.copy())",
    ),
]

test_a_wrong_answer_is_told_what_it_shows = wrong_answers(WRONG)
test_another_right_answer_is_taken = right_answers(RIGHT)
