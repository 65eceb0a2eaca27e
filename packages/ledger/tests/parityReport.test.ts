import { expect, test } from 'vitest';
import { answersIn } from '../parity/clients/solanaPy.mjs';

test('the report of a published suite is read test by test; what it skipped is left out', () => {
  const report = `<testsuites><testsuite>
    <testcase classname="tests.integration.test_a" name="test_one[x]" time="1.0" />
    <testcase classname="tests.integration.test_a" name="test_two" time="1"><failure message="assert 1 == 2">line
    line</failure></testcase>
    <testcase classname="tests.integration.test_b" name="test_two" time="1"><error message="no answer">x</error></testcase>
    <testcase classname="tests.integration.test_b" name="test_three" time="1"><skipped message="later">x</skipped></testcase>
  </testsuite></testsuites>`;
  expect(answersIn(report)).toEqual({
    'test_a: test_one[x]': { result: 'passes' },
    'test_a: test_two': { error: { code: 0, message: 'fails: assert 1 == 2' } },
    'test_b: test_two': { error: { code: 0, message: 'fails: no answer' } },
  });
});
