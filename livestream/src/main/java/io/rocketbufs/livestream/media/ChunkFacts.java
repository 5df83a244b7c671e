package io.rocketbufs.livestream.media;

/**
 * The properties of a chunk according to the timestamps in its media.
 *
 * @param startUs timestamp of the first frame, or of the first audio packet if there is no video, or {@link #UNKNOWN}
 *     if there is no timestamp. In microseconds since an epoch that only the source knows
 * @param durationUs duration in microseconds; 0 if unknown
 * @param keyFrame true if the first frame can be decoded without earlier frames
 * @param codecs codecs in the notation of RFC 6381; empty if unknown
 */
public record ChunkFacts(long startUs, long durationUs, boolean keyFrame, String codecs) {
    /** The value of {@code startUs} if there is no timestamp. */
    public static final long UNKNOWN = Long.MIN_VALUE;
}
