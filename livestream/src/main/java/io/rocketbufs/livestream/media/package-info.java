/**
 * Support for the parts of MPEG-TS and MP4 that are needed to cut streams into chunks and to measure the chunks'
 * durations.
 */
package io.rocketbufs.livestream.media;
