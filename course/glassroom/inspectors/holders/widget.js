// Who holds memory: a picture whose rows are stepped through, one by one.

import { moments } from "../../live/moments.js";

export default { render: moments };
