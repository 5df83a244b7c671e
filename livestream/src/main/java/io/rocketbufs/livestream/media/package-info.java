/** The parts of MPEG-TS and MP4 that are necessary to cut streams into chunks and to measure their durations. */
package io.rocketbufs.livestream.media;
