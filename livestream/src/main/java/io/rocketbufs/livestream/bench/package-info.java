/** Emulated sources and viewers, to measure and to check with. */
package io.rocketbufs.livestream.bench;
