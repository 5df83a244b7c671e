/** Output buffers, fan-out, subscriptions and their credit: which peer may be sent what, and when memory is free. */
package io.rocketbufs.out;
