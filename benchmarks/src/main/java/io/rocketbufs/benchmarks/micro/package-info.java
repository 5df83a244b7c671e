/** JMH benchmarks of the inner loops, over a transport that does nothing, and what each allocates: bin/bench micro. */
package io.rocketbufs.benchmarks.micro;
