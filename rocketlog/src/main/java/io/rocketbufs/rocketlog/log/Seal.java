package io.rocketbufs.rocketlog.log;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The content of a {@code .seal} file, which certifies that a segment is complete, immutable, and forced to the disk. A
 * sealed segment need not be scanned when the log is opened.
 *
 * <pre>
 *  0              4               8             16            24            32                  40
 *  +--------------+---------------+-------------+-------------+-------------+-------------------+
 *  | "RLSL"       | int32 version | int64 base  | int64 next  | int64       | int64 largest     |
 *  |              | = 1           | offset      | offset      | log length  | timestamp         |
 *  +--------------+---------------+-------------+-------------+-------------+-------------------+
 *  40             44              48                      52                                   end - 4    end
 *  +--------------+---------------+-----------------------+------------------------------------+----------+
 *  | int32 CRC of | int32 CRC of  | int32 number of       | producer states at the end of the  | int32    |
 *  | .index       | .timeindex    | producers             | segment, {@link ProducerState}     | CRC-32C  |
 *  +--------------+---------------+-----------------------+------------------------------------+----------+
 * </pre>
 *
 * @param baseOffset offset of the segment's first record
 * @param nextOffset offset of the next segment's first record
 * @param length length of the segment's {@code .log} file in bytes
 * @param largestTimestamp largest timestamp in milliseconds since 1970, or -1 if there is none
 * @param indexCrc CRC-32C of the index file
 * @param timeIndexCrc CRC-32C of the time index file
 * @param producers the producers at the end of the segment; null in a seal that is kept in memory
 */
record Seal(
        long baseOffset,
        long nextOffset,
        long length,
        long largestTimestamp,
        int indexCrc,
        int timeIndexCrc,
        ProducerStates producers) {
    static final int VERSION = 1;

    private static final int MAGIC = 0x524C534C;
    private static final int PRODUCER_COUNT = 48;
    private static final int PRODUCERS = 52;
    private static final int CRC_LENGTH = 4;

    /** Length of the longest seal in bytes. */
    static final int LONGEST = PRODUCERS + ProducerStates.LIMIT * ProducerState.LENGTH + CRC_LENGTH;

    /** Returns the content of the file, ready to be written. */
    ByteBuffer toFile() {
        ByteBuffer file = ByteBuffer.allocate(PRODUCERS + producers.length() + CRC_LENGTH);
        file.putInt(MAGIC)
                .putInt(VERSION)
                .putLong(baseOffset)
                .putLong(nextOffset)
                .putLong(length);
        file.putLong(largestTimestamp).putInt(indexCrc).putInt(timeIndexCrc).putInt(producers.count());
        producers.write(file);
        file.putInt(crc(file, file.position()));
        return file.flip();
    }

    /**
     * Returns the version number in a file, or 0 if the file is not a complete seal. In every version, the CRC comes
     * last.
     */
    static int version(ByteBuffer file) {
        int covered = file.limit() - CRC_LENGTH;
        boolean isComplete = covered >= 8 && file.getInt(0) == MAGIC && crc(file, covered) == file.getInt(covered);
        return isComplete ? file.getInt(4) : 0;
    }

    /** Returns the seal in a file, or null if the file is not a complete seal of this version. */
    static Seal of(ByteBuffer file) {
        int covered = file.limit() - CRC_LENGTH;
        if (version(file) != VERSION || covered < PRODUCERS) {
            return null;
        }
        int count = file.getInt(PRODUCER_COUNT);
        if (covered - PRODUCERS != (long) count * ProducerState.LENGTH) {
            return null;
        }
        ProducerStates states = ProducerStates.read(file.position(PRODUCERS), count);
        if (states == null) {
            return null;
        }
        return new Seal(
                file.getLong(8),
                file.getLong(16),
                file.getLong(24),
                file.getLong(32),
                file.getInt(40),
                file.getInt(44),
                states);
    }

    /** Returns a copy without the producers, which are needed only when the log is opened. */
    Seal withoutProducers() {
        return new Seal(baseOffset, nextOffset, length, largestTimestamp, indexCrc, timeIndexCrc, null);
    }

    /** Returns the CRC-32C of the first bytes of a buffer. */
    static int crc(ByteBuffer file, int length) {
        CRC32C crc = new CRC32C();
        crc.update(file.duplicate().position(0).limit(length));
        return (int) crc.getValue();
    }
}
