/** An edge: holds what the relay sends, and serves it to viewers over HTTPS out of the memory where it arrived. */
package io.rocketbufs.livestream.edge;
