package io.rocketbufs.rocketlog.log;

import java.io.IOException;

/**
 * The creation of segments.
 *
 * <p><i>Thread-safety:</i> stateless.
 */
final class SegmentFiles {
    private SegmentFiles() {}

    /** Creates an empty head. Its name survives a crash only after the folder has been forced. */
    static Segment create(LogFolder folder, long baseOffset, LogOptions options) throws IOException {
        LogFile file = folder.createNew(SegmentName.of(baseOffset, SegmentName.LOG));
        return new Segment(folder, file, baseOffset, new SegmentIndex(options.indexInterval()));
    }
}
