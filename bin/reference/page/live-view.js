const part = (id) => document.getElementById(id);

const element = (name, attributes, ...children) => {
  const made = Object.assign(document.createElement(name), attributes);
  made.append(...children);
  return made;
};

const row = ({ what, id, status, reason, updated }, isNews) =>
  element(
    'li',
    { className: isNews ? 'news' : '' },
    element('span', { className: 'what' }, what),
    element('span', { className: `status ${status}` }, status),
    element('code', {}, id),
    element(
      'time',
      { dateTime: updated, title: updated },
      new Date(updated).toLocaleTimeString('en-GB'),
    ),
    ...(reason ? [element('span', { className: 'reason' }, reason)] : []),
  );

const queueRow = ({ name, waiting = '–', taken = '–', deadLetters }) =>
  element(
    'tr',
    {},
    element('th', { scope: 'row' }, name),
    element('td', {}, String(waiting)),
    element('td', {}, String(taken)),
    element('td', { className: deadLetters > 0 ? 'bad' : '' }, String(deadLetters)),
  );

/** Fills a list; the sentence beside it takes its place while it is empty. */
const fill = (id, children) => {
  const list = part(id);
  list.replaceChildren(...children);
  const holder = list.closest('table') ?? list;
  holder.hidden = children.length === 0;
  holder.parentElement.querySelector('.empty').hidden = children.length > 0;
};

/** The status of what was shown last; undefined until something was. */
let known;
let unread = 0;

const showItems = ({ sandboxes, deliveries }) => {
  const lists = {
    sandboxes: sandboxes.map((sandbox) => ({ ...sandbox, what: sandbox.name })),
    deliveries: deliveries.map((delivery) => ({ ...delivery, what: delivery.offer })),
  };
  // The demo's attempts share one id, each under its own offer.
  const name = ({ id, what }) => `${what} ${id}`;
  const isNews = (item) => known !== undefined && known.get(name(item)) !== item.status;
  for (const [id, items] of Object.entries(lists)) {
    fill(
      id,
      items.map((item) => row(item, isNews(item))),
    );
  }
  const items = Object.values(lists).flat();
  tell(items.filter(isNews));
  known = new Map(items.map((item) => [name(item), item.status]));
};

const tell = (news) => {
  if (news.length === 0) return;
  part('announcement').textContent = news
    .map(({ what, status }) => `${what}: ${status}.`)
    .join(' ');
  if (document.body.dataset.view !== 'live') showUnread(unread + news.length);
};

const showUnread = (count) => {
  unread = count;
  part('news').hidden = count === 0;
  part('news').textContent = count;
  part('news').ariaLabel = `${count} new`;
};
document.querySelector('[data-shows=live]').addEventListener('click', () => showUnread(0));

const showQueues = (queues) => {
  fill('queues', queues.map(queueRow));
  part('dead-letters-note').hidden = queues.every(({ deadLetters }) => deadLetters === 0);
};

const showConnection = (state, text, alarm = '') => {
  part('connection').dataset.state = state;
  part('connection').textContent = text;
  part('alarm').textContent = alarm;
  part('alarm').hidden = alarm === '';
};

const events = new EventSource('/behind-the-queue');
events.onerror = () =>
  showConnection(
    'down',
    'Stopped',
    'The local run has stopped. Start it again with npm start; this page then goes on by itself.',
  );
events.onmessage = ({ data }) => {
  const { fault, up, queues, ...items } = JSON.parse(data);
  if (fault) {
    showConnection('down', 'Cannot look', `What happens behind the queue cannot be seen: ${fault}`);
    return;
  }
  if (up) showConnection('up', 'Running');
  else
    showConnection(
      'down',
      'API down',
      'The API does not answer, so nothing can be tried now. Start the local run again with npm start.',
    );
  showItems(items);
  showQueues(queues);
};
