/**
 * JMH benchmarks of the inner loops and their allocations, over a transport that does nothing: {@code bin/bench micro}.
 *
 * <p>The transport resembles the stub of core's tests, but is separate for two reasons. The launcher's build does not
 * compile tests, so a benchmark cannot depend on them. In addition, the benchmarks must measure only core's time. This
 * transport therefore counts writes without calling the benchmark, and grants credit without running a task.
 */
package io.rocketbufs.benchmarks.micro;
