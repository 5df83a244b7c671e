package io.rocketbufs.livestream;

/** The container formats of video and audio. */
public enum Container {
    /** MPEG transport stream. */
    MPEG_TS("ts", "video/mp2t"),
    /** Fragmented MP4, whose chunks need the stream's init segment. */
    FMP4("m4s", "video/mp4");

    private final String extension;
    private final String mimeType;

    Container(String extension, String mimeType) {
        this.extension = extension;
        this.mimeType = mimeType;
    }

    /** Returns the extension of a chunk's file name, without the dot. */
    public String extension() {
        return extension;
    }

    /** Returns the media type. */
    public String mimeType() {
        return mimeType;
    }
}
