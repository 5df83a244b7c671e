/** What applications see: RIn, ROut, Segment, Listener, callbacks, options; they import nothing else. */
package io.rocketbufs;
