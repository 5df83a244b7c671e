/** Transport-neutral control messages and their layouts. */
package io.rocketbufs.wire;
