// Sorting and filtering of tables. Nothing on a page needs it: without it every row stands there in its given order.
"use strict";
(() => {
  const value = (row, column) => {
    let position = 0;
    for (const cell of row.cells) {
      if (position <= column && column < position + cell.colSpan) {
        return cell.dataset.order ?? cell.textContent.trim();
      }
      position += cell.colSpan;
    }
    return "";
  };
  // What is withheld has no order: it stays at the end, whichever way the rest is sorted.
  const compare = (a, b, descending) => {
    if (a === "" || b === "") return (a === "") - (b === "");
    const [x, y] = [a, b].map((text) => Number(text.replaceAll(",", "")));
    const order = Number.isNaN(x) || Number.isNaN(y) ? (a < b ? -1 : a > b ? 1 : 0) : x - y;
    return descending ? -order : order;
  };
  const sort = (table, column, header) => {
    const body = table.tBodies[0];
    const descending = header.getAttribute("aria-sort") !== "descending";
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    header.setAttribute("aria-sort", descending ? "descending" : "ascending");
    const rows = [...body.rows].map((row) => [value(row, column), row]);
    rows.sort((a, b) => compare(a[0], b[0], descending));
    body.append(...rows.map(([, row]) => row));
  };
  for (const table of document.querySelectorAll("table[data-sortable]")) {
    let column = 0;
    for (const header of table.tHead.rows[0].cells) {
      const at = column;
      column += header.colSpan;
      if (!header.textContent.trim() || header.dataset.sortable === "no") continue;
      const button = document.createElement("button");
      button.type = "button";
      button.append(...header.childNodes);
      button.addEventListener("click", () => sort(table, at, header));
      header.append(button);
    }
  }
  for (const table of document.querySelectorAll("table[data-filter]")) {
    const label = document.createElement("label");
    const input = document.createElement("input");
    const count = document.createElement("output");
    label.className = "filter";
    label.append(table.dataset.filter + " ", input, count);
    input.type = "search";
    input.addEventListener("input", () => {
      const wanted = input.value.toLowerCase();
      let shown = 0;
      for (const row of table.tBodies[0].rows) {
        row.hidden = !row.textContent.toLowerCase().includes(wanted);
        shown += !row.hidden;
      }
      count.textContent = wanted ? ` ${shown} shown` : "";
    });
    table.parentElement.before(label);
  }
})();
