#!/bin/sh
# Reads a scanned PDF or an image by OCR: text on standard output, pages parted by form feeds.
# Needs tesseract, and pdftoppm (poppler) for PDFs. Usage: ocr.sh <file> [<language>, such as eng or deu+eng]
set -eu
file=$1
language=${2:-eng}
case $(head -c 5 "$file") in
  %PDF-) pdftoppm -r 200 -gray "$file" page ;;
  *) cp "$file" page-1.image ;;
esac
set -- page-*
total=$#
page=0
for image in "$@"; do
  tesseract "$image" - -l "$language" -c page_separator=
  printf '\f'
  page=$((page + 1))
  echo "progress $page/$total" >&2
done
