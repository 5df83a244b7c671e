/** Just as much of MPEG-TS and MP4 as it takes to cut streams into chunks and to say how long a chunk is. */
package io.rocketbufs.livestream.media;
