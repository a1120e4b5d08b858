"""What people answer, wrongly and rightly, in the capstone of part 5."""

from exercise_answers import right_answers, wrong_answers

STEP = "def step(reader, optimizer, images, labels, rows):\n"
PARTS = "    total = 0.0\n    for part in rows.split(24):\n"
LOSS = "        loss = F.cross_entropy(reader(batch(images, part)), labels[part])"
SHARE = " * (len(part) / len(rows))\n"
SUM = "        loss.backward()\n        total += loss.item()\n"
ACCURACY = "def accuracy(reader, images, labels, rows):\n"
SAID = "reader(batch(images, part)).argmax(1) == labels[part]"

test_wrong_answers = wrong_answers(
    [
        ("n12-floor", "adam = 946_336; momentum = 839_136; plain = 602_552", "The data is in the same memory"),
        ("n12-floor", "adam = 839_136; momentum = 602_552; plain = 365_968", "0 of 3 are right"),
        ("n12-floor", "adam = 1_075_720; momentum = 839_136; plain = 129_384", "`plain`"),
        ("n12-floor", "adam = 473_168; momentum = 839_136; plain = 602_552", "state alone"),
        ("n12-batch", "batch = lambda images, rows: (images.float() / 8 - 1)[rows]", "all images, as floats"),
        ("n12-batch", "batch = lambda images, rows: images[rows].float()", "holds 0 to 16"),
        ("n12-batch", "batch = lambda images, rows: images[rows].float() / 8 - 1", "Compute in place"),
        ("n12-batch", "batch = lambda images, rows: images[rows].double() / 8 - 1", "dtype torch.float64"),
        ("n12-batch", "batch = lambda images, rows: images[rows].div_(8).sub_(1)", "raised RuntimeError"),
        (
            "n12-step",
            f"{STEP}    optimizer.zero_grad()\n    loss = F.cross_entropy(reader(batch(images, rows)), labels[rows])\n"
            "    loss.backward()\n    optimizer.step()\n    return loss.item()",
            "at one time",
        ),
        *[
            (
                "n12-step",
                f"{STEP}    optimizer.zero_grad()\n{PARTS.replace('24', size)}{LOSS}{SHARE}{SUM}    optimizer.step()\n"
                "    return total",
                "Smaller parts",
            )
            for size in ("32", "36", "40")  # sizes with which the training does not fit, or barely
        ],
        (
            "n12-step",
            f"{STEP}    optimizer.zero_grad()\n{PARTS}{LOSS}\n{SUM}    optimizer.step()\n    return total",
            "added up as they are",
        ),
        (
            "n12-step",
            f"{STEP}{PARTS}        optimizer.zero_grad()\n{LOSS}\n{SUM}        optimizer.step()\n    return total / 9",
            "another way of learning",
        ),
        (
            "n12-step",
            f"{STEP}{PARTS}{LOSS}{SHARE}{SUM}    optimizer.step()\n    return total",
            "zero_grad comes first",
        ),
        (
            "n12-step",
            f"{STEP}    optimizer.zero_grad()\n{PARTS}{LOSS} / 9\n{SUM}    optimizer.step()\n    return total",
            "weight parts by their rows",
        ),
        (
            "n12-step",
            f"{STEP}    optimizer.zero_grad()\n{PARTS}{LOSS}{SHARE}        total = total + loss\n"
            "    total.backward()\n    optimizer.step()\n    return total.item()",
            "at one time",
        ),
        (
            "n12-accuracy",
            f"{ACCURACY}    return sum(({SAID}).sum().item() for part in rows.split(32)) / len(rows)",
            "makes a graph",
        ),
        (
            "n12-accuracy",
            f"{ACCURACY}    with torch.no_grad():\n        part = rows\n        return ({SAID}).float().mean().item()",
            "at once",
        ),
        (
            "n12-accuracy",
            f"{ACCURACY}    with torch.no_grad():\n"
            f"        s = [({SAID}).float().mean().item() for part in rows.split(32)]\n"
            "    return sum(s) / len(s)",
            "accuracy of 100 rows",
        ),
        (
            "n12-accuracy",
            f"{ACCURACY}    reader.eval()\n    with torch.no_grad():\n"
            f"        return sum(({SAID}).sum().item() for part in rows.split(32)) / len(rows)",
            "training mode",
        ),
        (
            "n12-accuracy",
            f"{ACCURACY}    with torch.no_grad():\n"
            f"        return sum(({SAID}).sum() for part in rows.split(32)) / len(rows)",
            "returns a tensor",
        ),
    ]
)

test_right_answers = right_answers(
    [
        ("n12-floor", "p = 236_584; d = 129_384; adam, momentum, plain = (n * p + d for n in (4, 3, 2))"),
        ("n12-floor", "adam, momentum, plain = 1_075_720, 839_136, 602_552"),
        (
            "n12-batch",
            "def batch(images, rows):\n    x = torch.empty(len(rows), 64)\n"
            "    x.copy_(images[rows])\n    return x.div_(8).sub_(1)",
        ),
        (
            "n12-batch",
            "def batch(images, rows):\n    x = images.index_select(0, rows).to(torch.float32)\n"
            "    x /= 8\n    x -= 1\n    return x",
        ),
        (
            "n12-step",
            f"{STEP}    reader.zero_grad()\n    total = 0.0\n    for part in rows.split(25):\n"
            "        loss = F.cross_entropy(reader(batch(images, part)), labels[part], reduction='sum') / len(rows)\n"
            f"{SUM}    optimizer.step()\n    return total",
        ),
        (
            "n12-step",
            f"{STEP}    optimizer.zero_grad()\n    total = 0.0\n    for part in rows.split(32):\n"
            "        x = batch(images, part)\n"
            "        for at in (0, 4):\n"
            "            x = torch.utils.checkpoint.checkpoint(reader[at:at + 4], x, use_reentrant=False)\n"
            "        loss = F.cross_entropy(reader[8](x), labels[part]) * (len(part) / len(rows))\n"
            f"{SUM}    optimizer.step()\n    return total",
        ),
        (
            "n12-accuracy",
            f"{ACCURACY}    with torch.no_grad():\n"
            f"        right = torch.cat([{SAID} for part in rows.split(50)])\n"
            "    return right.double().mean().item()",
        ),
        (
            "n12-accuracy",
            f"{ACCURACY}    was = reader.training\n    reader.eval()\n    with torch.inference_mode():\n"
            f"        right = sum(int(({SAID}).sum()) for part in rows.split(64))\n"
            "    reader.train(was)\n    return right / len(rows)",
        ),
    ]
)
