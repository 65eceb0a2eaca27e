import * as sdk from '@legwork/sdk';

/** Lists with a service that answers, so that what was listed is there whole; where it does not answer, landed.test.ts looks. */
const whole =
  <Given extends unknown[], Detail extends { readonly id: string }>(
    list: (...given: Given) => Promise<sdk.Posted<Detail>>,
  ) =>
  async (...given: Given): Promise<Detail & sdk.Landed> => {
    const listed = await list(...given);
    if (listed.open !== null) throw listed.open.why;
    return listed;
  };

export const listPackage = whole(sdk.listPackage);
export const listDigitalTask = whole(sdk.listDigitalTask);
export const submitDigitalTask = whole(sdk.submitDigitalTask);
