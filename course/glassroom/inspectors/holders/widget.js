// Who holds memory: a picture whose rows are stepped through, one by one.

import { fitted } from "../../live/fitted.js";
import { moments } from "../../live/moments.js";

export default { render: fitted(moments) };
