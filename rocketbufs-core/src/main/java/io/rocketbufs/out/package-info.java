/**
 * Output buffers, fan-out, subscriptions and their credit: the data that each peer may be sent, and the release of
 * memory.
 */
package io.rocketbufs.out;
