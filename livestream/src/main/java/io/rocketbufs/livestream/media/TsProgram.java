package io.rocketbufs.livestream.media;

import java.nio.ByteBuffer;

/**
 * The tables of a transport stream, which identify the video and audio packets. If there are several programs, the
 * first one is used. Tables longer than one packet are not supported; the tables of a single program always fit into
 * one packet.
 *
 * <p><b>Thread-safety:</b> one thread at a time.
 */
final class TsProgram {
    private static final int SECTION_HEADER_LENGTH = 8;
    private static final int CHECKSUM_LENGTH = 4;
    private static final int PMT_FIXED_LENGTH = 4;
    private static final int PID_BITS = 0x1fff;
    private static final int LENGTH_BITS = 0xfff;

    private int pmtPid = -1;
    private int videoPid = -1;
    private int audioPid = -1;
    private int videoType;
    private int audioType;

    int videoPid() {
        return videoPid;
    }

    int audioPid() {
        return audioPid;
    }

    boolean isKnown() {
        return videoPid >= 0 || audioPid >= 0;
    }

    boolean isH264() {
        return videoType == 0x1b;
    }

    boolean isAac() {
        return audioType == 0x0f;
    }

    /** Returns the name of the video codec if the stream type alone identifies it; otherwise an empty string. */
    String videoName() {
        return switch (videoType) {
            case 0x1b -> "avc1";
            case 0x24 -> "hvc1";
            case 0x01, 0x02 -> "mp2v";
            default -> "";
        };
    }

    /** Returns the name of the audio codec if the stream type alone identifies it; otherwise an empty string. */
    String audioName() {
        return switch (audioType) {
            case 0x0f, 0x11 -> "mp4a.40.2";
            case 0x03, 0x04 -> "mp4a.40.34";
            case 0x81 -> "ac-3";
            default -> "";
        };
    }

    /** Returns true if packets with the given PID contain tables, including the service description table. */
    boolean isTable(int pid) {
        return pid < 0x20 || pid == pmtPid;
    }

    /** Reads a packet if it contains a table, and ignores it otherwise. */
    void read(ByteBuffer packet, int at) {
        int pid = TsLayout.pid(packet, at);
        if (pid != TsLayout.PAT_PID && pid != pmtPid || !TsLayout.starts(packet, at)) {
            return;
        }
        int end = at + TsLayout.LENGTH;
        int pointer = TsLayout.payload(packet, at);
        if (pointer >= end) {
            return;
        }
        int section = pointer + 1 + (packet.get(pointer) & 0xff);
        if (section + SECTION_HEADER_LENGTH > end) {
            return;
        }
        int sectionEnd = section + 3 + (packet.getShort(section + 1) & LENGTH_BITS) - CHECKSUM_LENGTH;
        if (sectionEnd > end) {
            return;
        }
        if (pid == TsLayout.PAT_PID) {
            readPrograms(packet, section + SECTION_HEADER_LENGTH, sectionEnd);
        } else {
            readStreams(packet, section + SECTION_HEADER_LENGTH, sectionEnd);
        }
    }

    private void readPrograms(ByteBuffer packet, int from, int end) {
        for (int i = from; i + 4 <= end; i += 4) {
            if (packet.getShort(i) != 0) {
                pmtPid = packet.getShort(i + 2) & PID_BITS;
                return;
            }
        }
    }

    private void readStreams(ByteBuffer packet, int from, int end) {
        if (from + PMT_FIXED_LENGTH > end) {
            return;
        }
        videoPid = -1;
        audioPid = -1;
        int i = from + PMT_FIXED_LENGTH + (packet.getShort(from + 2) & LENGTH_BITS);
        while (i + 5 <= end) {
            readStream(packet.get(i) & 0xff, packet.getShort(i + 1) & PID_BITS);
            i += 5 + (packet.getShort(i + 3) & LENGTH_BITS);
        }
    }

    private void readStream(int type, int pid) {
        switch (type) {
            case 0x01, 0x02, 0x1b, 0x24 -> {
                if (videoPid < 0) {
                    videoPid = pid;
                    videoType = type;
                }
            }
            case 0x03, 0x04, 0x0f, 0x11, 0x81 -> {
                if (audioPid < 0) {
                    audioPid = pid;
                    audioType = type;
                }
            }
            default -> {
                // Streams of other types, such as subtitles and data, are passed on without being examined.
            }
        }
    }
}
