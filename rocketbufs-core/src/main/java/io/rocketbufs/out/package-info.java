/**
 * Output buffers, fan-out, subscriptions and their credit: these determine which data may be sent to each peer, and
 * when memory is free.
 */
package io.rocketbufs.out;
