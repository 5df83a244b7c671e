package io.rocketbufs.livestream.media;

/**
 * A track as the init segment describes it.
 *
 * @param id number
 * @param timescale units of time in a second
 * @param isVideo true for pictures
 * @param codec as RFC 6381 writes it; empty when unknown
 * @param defaultDuration of a sample, unless a fragment says otherwise
 * @param defaultFlags of a sample, unless a fragment says otherwise
 */
record Mp4Track(int id, int timescale, boolean isVideo, String codec, int defaultDuration, int defaultFlags) {
    Mp4Track withDefaults(int duration, int flags) {
        return new Mp4Track(id, timescale, isVideo, codec, duration, flags);
    }
}
