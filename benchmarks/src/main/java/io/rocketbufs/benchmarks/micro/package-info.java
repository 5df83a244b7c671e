/**
 * JMH benchmarks of the inner loops and their allocations, over a transport that does nothing: {@code bin/bench micro}.
 *
 * <p>The transport resembles the stub of core's tests, but is separate for two reasons. The launcher's build does not
 * compile tests, so a benchmark cannot depend on them. In addition, only core may use time in the benchmarks: a write
 * is counted without a call into the benchmark, and credit is granted without a task.
 */
package io.rocketbufs.benchmarks.micro;
