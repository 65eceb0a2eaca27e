import { z } from 'zod';
import { eventFrame, topicsText } from '../events.js';
import { pageQuery, uuid, wholeNumber } from '../schemas.js';
import { operation } from './operation.js';

export const listEvents = operation({
  name: 'listEvents',
  tag: 'events',
  summary: 'Read the log of events, newest first',
  description:
    'The events of /ws in the same form: all of them, or those of one package or one digital task, and of some types. before ' +
    'keeps those with a smaller seq. To follow the log from here on, connect to /ws with since, the seq of the first event of this list.',
  method: 'GET',
  path: '/events',
  query: z
    .strictObject({
      package: uuid.optional(),
      task: uuid.optional(),
      topics: topicsText.optional(),
      before: wholeNumber(z.int().min(1)).optional().meta({ description: 'seq of an event' }),
      ...pageQuery,
    })
    .refine((query) => query.package === undefined || query.task === undefined, {
      message: 'cannot be given with package: an event is about one of them',
      path: ['task'],
    }),
  answer: z.array(eventFrame),
  paged: true,
});
