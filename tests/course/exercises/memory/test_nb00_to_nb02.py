"""What people answer wrongly in notebooks 00 to 02, and what the checks tell them."""

import numpy
from exercise_answers import wrong_answers

ROWS = """
00-numbers        | numbers = 12                                   | counts each number twice
00-numbers        | numbers = 6.0                                  | without a point
00-numbers        | numbers = 'six'                                | it should be a plain integer
00-last-cell      | pass                                           | holds 5, not 7
00-last-cell      | b = b.clone(); b[1, 2] = 7                     | no longer share memory
00-last-cell      | b = 7                                          | is not a tensor any more
00-last-cell      | b[-1] = 7                                      | Change only one cell
01-same-cell      | cell = 4                                       | it skips 3
01-same-cell      | cell = 80                                      | the byte at which
01-same-cell      | cell = 11                                      | Count from 0
01-same-cell      | cell = 10.0                                    | without a point
01-same-cell      | cell = torch.tensor(10)                        | is a tensor
01-batch-bytes    | batch_bytes = 32 * 3 * 224 * 224               | each takes more than one byte
01-batch-bytes    | batch_bytes = 32 * 3 * 224 * 224 * 4           | would be float32
01-small          | small = a                                      | takes 120 bytes
01-small          | small = torch.tensor(a.tolist(), dtype=torch.bool) | only True or False
01-small          | small = torch.zeros(5, 3, dtype=torch.int8)    | holds
01-small          | small = a.tolist()                             | it should be a tensor
01-numpy          | watching = torch.tensor(m); apart = torch.tensor(m) | `watching` is a copy
01-numpy          | watching = apart = torch.from_numpy(m)         | `apart` is a view
01-numpy          | watching = m; apart = torch.tensor(m)          | is a NumPy array
02-share-storage  | share_storage = lambda x, y: x is y            | two headers, two Python objects
02-share-storage  | share_storage = lambda x, y: x.data_ptr() == y.data_ptr() | begin at different cells of one storage
01-numpy          | watching = torch.from_numpy(m); apart = torch.zeros(2, 2) | `apart` holds [[0.0, 0.0], [0.0, 0.0]]
02-share-storage  | share_storage = lambda x, y: x._base is y or y._base is x | Neither is a view of the other
02-share-storage  | share_storage = lambda x, y: x.numel() < 99    | which hold equal values in two storages
02-share-storage  | share_storage = lambda x, y: x.strange()       | raised AttributeError
02-share-storage  | share_storage = lambda x, y: None              | returned nothing
02-middle         | middle = torch.tensor([[1, 2], [3, 4]])        | is a copy
02-middle         | middle = a[1:5]                                | has shape (4,)
02-middle         | middle = a[:4].view(2, 2)                      | begins at offset 0
02-share-storage  | share_storage = lambda x, y: (x.view(-1) == y.view(-1)).all() | Compare where the storages lie
02-middle         | middle = a.view(2, 3)[:, 1:]                   | two columns of `a.view(2, 3)`
02-whole          | whole = torch.empty(0).set_(tail.untyped_storage()) | reads the bytes as other numbers
02-whole          | whole = tail                                   | sees no more than `tail`
02-whole          | whole = torch.arange(10, 20)                   | is a copy
02-whole          | whole = tail.set_(tail.untyped_storage())      | `tail` itself has changed
02-whole          | whole = tail.resize_(10)                       | `tail` itself has changed
02-whole          | tail.set_(tail.untyped_storage()); whole = tail.view(10) | `tail` itself has changed
02-whole          | tail.resize_(10); whole = tail.view(2, 5)      | `tail` itself has changed
02-whole          | whole = torch.arange(20, 30)                   | looks at another storage
02-whole          | whole = tail.as_strided((2, 5), (5, 1), 0)     | One dimension was asked for
02-whole          | whole = tail.view(3, 1)                        | sees no more than `tail`
02-whole          | whole = tail.as_strided((9,), (1,), 1)         | has shape (9,)
02-whole          | whole = tail.as_strided((3,), (1,), 0)         | sees no more than `tail`
02-share-storage  | def share_storage(x, y): x[0] = 100; return y[0] == 100 | look, and do not write
02-share-storage  | share_storage = lambda x, y: x.storage().data_ptr == y.storage().data_ptr | but one storage
02-middle         | middle = torch.zeros(2, 2)                     | is a copy
02-middle         | middle = torch.full((2, 2), 30)                | looks at another storage
02-count          | headers, storages = "4", "2"                   | integer, without quotes
02-count          | headers, storages = 5, 2                       | a second name
02-count          | headers, storages = 4, 1                       | `clone` allocates
"""
WRONG = [tuple(part.strip() for part in row.split(" | ")) for row in ROWS.strip().splitlines()]

test_wrong_answers_are_told_what_they_show = wrong_answers(WRONG, np=numpy)
