/** The public API: RIn, ROut, Segment, Listener, callbacks and options. */
package io.rocketbufs;
