package io.rocketbufs.livestream.media;

/**
 * What a chunk's own time stamps say about it.
 *
 * @param startUs time stamp of its first picture, or of its first sound where there are no pictures; microseconds since
 *     a beginning that only the source knows. {@link #UNKNOWN} when there is none
 * @param durationUs microseconds; 0 when unknown
 * @param keyFrame true when its first picture needs none before it
 * @param codecs as RFC 6381 writes them; empty when unknown
 */
public record ChunkFacts(long startUs, long durationUs, boolean keyFrame, String codecs) {
    /** No time stamp. */
    public static final long UNKNOWN = Long.MIN_VALUE;
}
