"""`%%watch` and `watch`: code run statement by statement, and what each did to memory."""
