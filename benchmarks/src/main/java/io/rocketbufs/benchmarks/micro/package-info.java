/**
 * JMH benchmarks of the inner loops, over a transport that does nothing, with the allocation of each: {@code bin/bench
 * micro}.
 *
 * <p>The transport resembles the stub of core's tests, and is not that one for two reasons. The launcher's build
 * compiles no tests, so a benchmark that runs cannot depend on them. And here nothing but core may take time: a write
 * is counted without a call into the benchmark, and credit is given without a task.
 */
package io.rocketbufs.benchmarks.micro;
