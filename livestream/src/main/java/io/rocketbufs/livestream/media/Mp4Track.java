package io.rocketbufs.livestream.media;

/**
 * A track as described by the init segment.
 *
 * @param id number of the track
 * @param timescale number of time units per second
 * @param isVideo true for video, false for audio
 * @param codec codec in the notation of RFC 6381; empty if unknown
 * @param defaultDuration duration of a sample in units of the timescale, unless a fragment overrides it
 * @param defaultFlags flags of a sample, unless a fragment overrides them
 */
record Mp4Track(int id, int timescale, boolean isVideo, String codec, int defaultDuration, int defaultFlags) {
    Mp4Track withDefaults(int duration, int flags) {
        return new Mp4Track(id, timescale, isVideo, codec, duration, flags);
    }
}
